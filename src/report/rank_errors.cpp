// SPDX-License-Identifier: Apache-2.0
#include "report/rank_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "check/explain.h"
#include "report/history_json.h"
#include "report/timeline.h"
#include "report/words.h"

namespace plumb::report {
namespace {

using check::ErrorOrder;
using check::RankErrors;
using check::TakeError;

// How often each number came.
class Distribution {
 public:
  Distribution(const std::vector<TakeError>& takes,
               std::uint32_t TakeError::*of) {
    for (const TakeError& one : takes) {
      ++counts_[one.*of];
      sum_ += one.*of;
    }
    size_ = takes.size();
  }

  const std::map<std::uint32_t, std::size_t>& counts() const { return counts_; }
  std::uint32_t maximum() const {
    return counts_.empty() ? 0 : counts_.rbegin()->first;
  }
  std::uint64_t sum() const { return sum_; }
  double mean() const {
    return size_ == 0 ? 0
                      : static_cast<double>(sum_) / static_cast<double>(size_);
  }
  // The least that is not exceeded by this share of them.
  std::uint32_t quantile(double share) const {
    const auto wanted =
        static_cast<std::size_t>(std::ceil(share * static_cast<double>(size_)));
    std::size_t seen = 0;
    for (const auto& [number, count] : counts_) {
      seen += count;
      if (seen >= wanted) return number;
    }
    return maximum();
  }

 private:
  std::map<std::uint32_t, std::size_t> counts_;
  std::uint64_t sum_ = 0;
  std::size_t size_ = 0;
};

constexpr std::array kShares = {0.5, 0.9, 0.99, 0.999};

const char* order_name(ErrorOrder order) {
  switch (order) {
    case ErrorOrder::kInvoked:
      return "invoked";
    case ErrorOrder::kReturned:
      return "returned";
    case ErrorOrder::kBest:
      break;
  }
  return "best";
}

const char* order_in_words(ErrorOrder order) {
  switch (order) {
    case ErrorOrder::kInvoked:
      return "in the order of their invocations";
    case ErrorOrder::kReturned:
      return "in the order of their returns";
    case ErrorOrder::kBest:
      break;
  }
  return "in the best order that was found (smallest maximum, then smallest "
         "sum)";
}

std::string figures(const char* name, const Distribution& of,
                    const std::string& about_maximum) {
  std::string out =
      fmt::format("    {}: maximum {}{}, mean {:.3f}", name,
                  grouped(of.maximum()), about_maximum, of.mean());
  for (const double share : kShares) {
    out +=
        fmt::format(", {:g} % <= {}", 100 * share, grouped(of.quantile(share)));
  }
  return out + "\n";
}

// Large numbers stand together, each row twice as wide as that before it.
std::string histogram(const Distribution& of) {
  constexpr std::uint32_t kSingle = 16;
  struct Row {
    std::uint32_t first, last;
    std::size_t count;
  };
  std::vector<Row> rows;
  for (const auto& [number, count] : of.counts()) {
    Row row{number, number, count};
    if (of.maximum() > kSingle && number >= 2) {
      while ((row.first & (row.first - 1)) != 0) row.first &= row.first - 1;
      row.last = std::min(2 * row.first - 1, of.maximum());
    }
    if (!rows.empty() && rows.back().first == row.first) {
      rows.back().count += count;
    } else {
      rows.push_back(row);
    }
  }
  std::size_t most = 1, width = 1, digits = 1;
  std::vector<std::string> names;
  for (const Row& row : rows) {
    most = std::max(most, row.count);
    names.push_back(row.first == row.last
                        ? grouped(row.first)
                        : grouped(row.first) + "-" + grouped(row.last));
    width = std::max(width, names.back().size());
    digits = std::max(digits, grouped(row.count).size());
  }
  constexpr std::size_t kBar = 40;
  std::string out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t bar = (rows[i].count * kBar + most - 1) / most;
    out += fmt::format("      {:>{}}  {:>{}}  {}\n", names[i], width,
                       grouped(rows[i].count), digits, std::string(bar, '#'));
  }
  return out;
}

std::string about_maximum(const RankErrors& errors) {
  if (errors.order != ErrorOrder::kBest || errors.maximum() == 0) return "";
  return errors.maximum() == errors.least_maximum
             ? " (no order has less)"
             : fmt::format(" (no order has less than {})",
                           errors.least_maximum);
}

// The worst of them first.
std::vector<TakeError> worst(const RankErrors& errors, std::size_t most) {
  std::vector<TakeError> out = errors.takes;
  const auto worse = [](const TakeError& a, const TakeError& b) {
    return std::pair(a.rank, a.delay) > std::pair(b.rank, b.delay);
  };
  most = std::min(most, out.size());
  std::stable_sort(out.begin(), out.end(), worse);
  out.resize(most);
  return out;
}

std::string remarks(const history::History& history,
                    const spec::Specification& object,
                    const RankErrors& errors) {
  std::string out;
  if (errors.empty > 0) {
    out += fmt::format("    {} found nothing", counted(errors.empty, "take"));
    if (errors.wrongly_empty > 0) {
      out += fmt::format("; {} of them although something was inside, up to {}",
                         grouped(errors.wrongly_empty),
                         counted(errors.most_inside, "value"));
    }
    out += '\n';
  }
  if (errors.left > 0) {
    out += fmt::format("    {} never taken", counted(errors.left, "value"));
    if (errors.most_delayed > 0) {
      out += fmt::format(", delayed by up to {}", grouped(errors.most_delayed));
    }
    out += '\n';
  }
  for (const std::uint32_t i : errors.never_put) {
    out += fmt::format("    {} (line {}) has no rank: that was not inside\n",
                       check::describe(history.operations[i], object),
                       history.operations[i].line);
    if (i ==
        errors
            .never_put[std::min<std::size_t>(4, errors.never_put.size() - 1)]) {
      break;
    }
  }
  if (errors.never_put.size() > 5) {
    out += fmt::format("    and so have {} more\n",
                       grouped(errors.never_put.size() - 5));
  }
  if (errors.not_known > 0) {
    out += fmt::format("    {} of unknown result: not counted\n",
                       counted(errors.not_known, "take"));
  }
  return out;
}

Json distribution_json(const Distribution& of) {
  Json out;
  out["maximum"] = of.maximum();
  out["sum"] = of.sum();
  out["mean"] = of.mean();
  out["quantiles"] = Json::array();
  for (const double share : kShares) {
    out["quantiles"].push_back({share, of.quantile(share)});
  }
  out["histogram"] = Json::array();
  for (const auto& [number, count] : of.counts()) {
    out["histogram"].push_back({number, count});
  }
  return out;
}

}  // namespace

std::string rank_errors_text(const history::History& history,
                             const spec::Specification& object,
                             const RankErrors& errors) {
  const Distribution ranks(errors.takes, &TakeError::rank);
  const Distribution delays(errors.takes, &TakeError::delay);
  std::string out = fmt::format("\n  {} that found something, {}:\n",
                                counted(errors.takes.size(), "take"),
                                order_in_words(errors.order));
  if (!errors.takes.empty()) {
    out += figures("rank errors", ranks, about_maximum(errors));
    out += histogram(ranks);
    out += figures("delays", delays, "");
    out += histogram(delays);
  }
  constexpr std::size_t kShown = 3;
  for (const TakeError& one : worst(errors, kShown)) {
    if (one.rank == 0) break;
    const history::Operation& o = history.operations[one.operation];
    out += fmt::format("    {} ({}): rank error {}, delay {}\n",
                       check::describe(o, object), lines_of(o),
                       grouped(one.rank), grouped(one.delay));
  }
  return out + remarks(history, object, errors);
}

Json rank_errors_json(const history::History& history,
                      const spec::Specification& object,
                      const RankErrors& errors, std::size_t most) {
  Json out;
  out["order"] = order_name(errors.order);
  out["least_maximum"] = errors.least_maximum;
  out["least_sum"] = errors.least_sum;
  out["rank"] = distribution_json(Distribution(errors.takes, &TakeError::rank));
  out["delay"] =
      distribution_json(Distribution(errors.takes, &TakeError::delay));
  out["empty"] = {{"takes", errors.empty},
                  {"wrongly", errors.wrongly_empty},
                  {"most_inside", errors.most_inside}};
  out["left"] = {{"values", errors.left},
                 {"most_delayed", errors.most_delayed}};
  std::vector<std::uint32_t> never = errors.never_put;
  never.resize(std::min(never.size(), most));
  out["never_put"] = {{"takes", errors.never_put.size()},
                      {"operations", operations_json(history, object, never)}};
  out["not_known"] = errors.not_known;
  const std::vector<TakeError> shown = worst(errors, most);
  std::vector<std::uint32_t> operations;
  for (const TakeError& one : shown) operations.push_back(one.operation);
  out["takes"] = operations_json(history, object, operations);
  for (std::size_t i = 0; i < shown.size(); ++i) {
    out["takes"][i]["rank_error"] = shown[i].rank;
    out["takes"][i]["delay"] = shown[i].delay;
  }
  return out;
}

}  // namespace plumb::report
