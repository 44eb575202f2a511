# SPDX-License-Identifier: Apache-2.0
# A history of one process, from [[name, argument, result], ...].
import json, sys
for i, (f, value, result) in enumerate(json.loads(sys.argv[1])):
    print(json.dumps({"process": 0, "type": "invoke", "f": f, "value": value}))
    print(json.dumps({"process": 0, "type": "ok", "f": f, "value": result}))
