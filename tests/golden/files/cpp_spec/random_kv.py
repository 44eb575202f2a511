# SPDX-License-Identifier: Apache-2.0
# A small random history of a key-value store, now and then a wrong one.
import json, random, sys
random.seed(int(sys.argv[1]))
stored, open_calls, lines, left = {}, {}, [], 14
while left or open_calls:
    process = random.randrange(3)
    if process in open_calls:
        f, value, result = open_calls.pop(process)
        lines.append({"process": process, "type": "ok", "f": f, "value": result})
    elif left:
        left -= 1
        f, key = random.choice(["get", "put", "append"]), random.choice("xy")
        text = random.choice("ab")
        value = key if f == "get" else [key, text]
        old = stored.get(key, "")
        if f != "get":
            stored[key] = text if f == "put" else old + text
        if random.random() < 0.05:
            old += "a"
        open_calls[process] = (f, value, old if f == "get" else None)
        lines.append({"process": process, "type": "invoke", "f": f, "value": value})
print("\n".join(map(json.dumps, lines)))
