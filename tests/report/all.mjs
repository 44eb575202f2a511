// SPDX-License-Identifier: Apache-2.0
// All tests of the page, in one process, so that they share one browser.
import './summary_test.mjs';
import './history_test.mjs';
import './steps_test.mjs';
import './execution_test.mjs';
import './graph_test.mjs';
import './address_test.mjs';
import './hostile_test.mjs';
import './accessibility_test.mjs';
import './layout_test.mjs';
import './large_test.mjs';
import './tool_test.mjs';
