import { LogOutput } from '../node/runtime/log-output.js';
import { createLogger } from '../node/runtime/logger.js';

/** A mistake on the command line of a node whose log is read by machine is a line of that log like any other. */
export function logUsage(words: readonly string[], message: string): boolean {
  const isJson = words.some(
    (word, i) => word === '--log-format=json' || (word === 'json' && words[i - 1] === '--log-format'),
  );
  if (!isJson) return false;
  const output = new LogOutput(undefined);
  const log = createLogger({ level: 'error', modules: new Map(), format: 'json', colour: false }, output);
  log.child('node').error('the node cannot start', { key: 'usage', reason: message });
  output.close();
  return true;
}
