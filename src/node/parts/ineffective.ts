import { nearest } from '../../base/nearest.js';
import type { LogValues } from '../../base/world.js';
import type { AnyPart } from '../../plugin/part.js';
import type { Settings } from '../settings/options.js';

/** What is given and does nothing, for the log and as a sentence: a typing error must not become a silent default. */
export interface Ineffective {
  readonly text: string;
  readonly values: LogValues;
  readonly sentence: string;
}

/** Options that mean nothing alone, and are no reason to refuse a start. */
const NEEDS = [
  ['state-snapshot-every', 'state-snapshots-dir'],
  ['state-snapshot-keep', 'state-snapshots-dir'],
  ['server-pem', 'rpc-tls-endpoint'],
] as const;

/** What logs beside the parts. */
const OTHER_MODULES = ['node', 'contract'];

export function ineffectiveOptions(
  all: readonly AnyPart[],
  wanted: readonly AnyPart[],
  { options, givenOptions }: Settings,
): Ineffective[] {
  const out: Ineffective[] = [];
  for (const part of all.filter((one) => !wanted.includes(one))) {
    const given = Object.keys(part.options?.table ?? {}).filter((name) => givenOptions.has(name));
    if (given.length === 0) continue;
    const [plugin, names] = [part.name, given.join(' ')];
    out.push({
      text: 'options have no effect: their plugin does not run (see --plugins)',
      values: { plugin, options: names },
      sentence: `no effect of ${names}: the plugin ${plugin} does not run (see --plugins)`,
    });
  }
  for (const [option, needs] of NEEDS) {
    // 0 is what an option is without anybody saying so.
    if (!givenOptions.has(option) || !options[option] || givenOptions.has(needs)) continue;
    out.push({
      text: 'an option has no effect without another one',
      values: { option, needs },
      sentence: `no effect of ${option}: it needs ${needs}`,
    });
  }
  const modules = new Set([...OTHER_MODULES, ...all.map(({ name, logModule }) => logModule ?? name)]);
  for (const [name] of options['log-level-module']) {
    if (modules.has(name)) continue;
    const meant = nearest(name, modules);
    out.push({
      text: 'log-level-module names a module that there is not',
      values: { name, ...(meant === undefined ? {} : { nearest: meant }) },
      sentence: `no effect of log-level-module ${name}: there is no such module${meant === undefined ? '' : `; is ${meant} meant?`}`,
    });
  }
  return out;
}
