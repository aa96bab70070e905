import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread } from 'node:worker_threads';
import { STARTED } from './coverage.js';

/** Loaded before the program of every process of a test; what was started and has no report in the end was killed. */
const folder = process.env.NODE_V8_COVERAGE;
if (isMainThread && folder !== undefined) writeFileSync(join(folder, `${STARTED}${process.pid}`), '');
