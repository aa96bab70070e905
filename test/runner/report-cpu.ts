import { readFileSync, writeSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded into the process of a test file before it: at its end it tells the runner what CPU time it took, with that of
 * the processes that it has started and waited for where the system counts these.
 */

/** Where to write it. Processes that the test starts may load this as well, and have nothing to tell. */
const variable = 'TRUSTNODE_TEST_CPU';
/** Of `/proc/self/stat`, whose times are in ticks of 10 ms. */
const TICKS_PER_SECOND = 100;
const CHILDREN_FIELDS = [13, 14];

function childrenSeconds(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // The name of the program stands in front, in brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return CHILDREN_FIELDS.reduce((sum, field) => sum + Number(fields[field]) / TICKS_PER_SECOND, 0);
  } catch {
    // Another system than Linux.
    return 0;
  }
}

const descriptor = process.env[variable];
delete process.env[variable];
if (descriptor !== undefined && isMainThread) {
  process.on('exit', () => {
    const { user, system } = process.cpuUsage();
    writeSync(Number(descriptor), String((user + system) / 1e6 + childrenSeconds()));
  });
}
