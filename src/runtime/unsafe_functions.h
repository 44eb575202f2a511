// SPDX-License-Identifier: Apache-2.0
// Functions of the C library that share a place which no lock protects.
//
// POSIX says of these that they need not be thread-safe, the manual of the GNU
// C library calls them MT-Unsafe (race:...).  Two threads that use one of a
// line at once race.  Those that we stand in for (hidden_data.cpp) tell for
// themselves.
#pragma once

#include <cstdint>
#include <string_view>

namespace plumb::runtime {

inline constexpr std::string_view kUnsafeFunctions[] = {
    " ecvt fcvt qecvt qfcvt ",
    " l64a ",
    " ether_ntoa ",
    " ether_aton ether_hostton ",
    " getspnam getspent setspent endspent ",
    " sgetspent fgetspent ",
    " getsgnam getsgent setsgent endsgent ",
    " fgetpwent ",
    " fgetgrent ",
    " getmntent ",
    " getfsent getfsspec getfsfile setfsent endfsent ",
    " getttyent getttynam setttyent endttyent ",
    " getusershell setusershell endusershell ",
    " getutent getutid getutline setutent endutent pututline utmpname "
    "getutxent getutxid getutxline setutxent endutxent pututxline utmpxname ",
    " getaliasent getaliasbyname setaliasent endaliasent ",
    " getnetgrent setnetgrent endnetgrent innetgr ",
    " getrpcent getrpcbyname getrpcbynumber setrpcent endrpcent ",
    " gethostbyaddr gethostbyname2 ",
    " getnetbyaddr ",
    " getlogin cuserid ",
    " ptsname ",
    " crypt encrypt setkey ",
    " getdate ",
    " catgets ",
    " re_comp re_exec ",
    " mcheck mcheck_pedantic mcheck_check_all mtrace muntrace ",
    " register_printf_function register_printf_specifier "
    "register_printf_modifier register_printf_type ",
    " error_at_line ",
    " fcloseall ",
    " getpass ",
    " sysv_signal ",
    " mbrtoc16 ",
    " mbrtoc32 ",
    " c16rtomb ",
    " c32rtomb ",
};

// Functions that work on what an object of the test's leads to, which the C
// library has allocated: trees, tables.
struct ObjectFunctions {
  std::string_view names;
  std::uint8_t object;  // the argument that tells where it is
  bool writes = true;
  std::uint8_t writes_if = kAlways;  // the argument that is not 0 then

  static constexpr std::uint8_t kAlways = 255;
};
inline constexpr ObjectFunctions kObjectFunctions[] = {
    {" tsearch tdelete ", 1},    {" tfind ", 1, false},
    {" hsearch_r ", 4, true, 2}, {" hcreate_r ", 1},
    {" hdestroy_r ", 0},
};

}  // namespace plumb::runtime
