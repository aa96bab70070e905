import { readFileSync } from 'node:fs';
import { projectPath } from './paths.js';

/** Data of test/vectors; the caller says what shape it expects. */
export function readVectors<T>(name: string): T {
  return JSON.parse(readFileSync(projectPath('test', 'vectors', name), 'utf8')) as T;
}
