import { check, defineErrors, FAMILY } from '../../base/errors.js';
import type { OptionSections } from '../../config/command-line.js';
import type { OptionTable } from '../../config/define.js';
import type { AnyPart } from '../../plugin/part.js';
import { logOptions, nodeOptions, pluginOptions, runOnceOptions } from './options.js';

export const SECTION_ERRORS = defineErrors({
  option_owners: { ...FAMILY.invalidArgument, text: '${part} has an option ${option}, which another part has already' },
});

/** In the order of config.ini; those of plugins follow. */
const TITLES = ['Node', 'Chain', 'Network', 'RPC', 'Block production', 'Log', 'Debugging'];

/** Those that run by default first. */
function ownTables(parts: readonly AnyPart[]): [title: string, table: OptionTable, owner: string][] {
  const plugins = parts.filter(({ plugin }) => plugin !== undefined);
  const initial = plugins.filter(({ plugin }) => plugin?.isDefault === true).map(({ name }) => name);
  const others = plugins.filter(({ plugin }) => plugin?.isDefault !== true).map(({ name }) => name);
  const plugin = pluginOptions([...initial, ...others], initial);
  return [
    ['Node', { ...nodeOptions, ...plugin, ...runOnceOptions }, 'the node'],
    ['Log', logOptions, 'the node'],
  ];
}

/** All options by heading: those of the node itself, and those that its parts bring. */
export function optionSections(parts: readonly AnyPart[]): OptionSections {
  const sections = new Map<string, OptionTable>(TITLES.map((title) => [title, {}]));
  const known = new Set<string>();
  const add = (title: string, table: OptionTable, part: string): void => {
    for (const option of Object.keys(table)) {
      check(!known.has(option), SECTION_ERRORS.option_owners, { part, option });
      known.add(option);
    }
    sections.set(title, { ...sections.get(title), ...table });
  };
  for (const [title, table, owner] of ownTables(parts)) add(title, table, owner);
  for (const { name, options } of parts) if (options !== undefined) add(options.title, options.table, name);
  return [...sections].filter(([, table]) => Object.keys(table).length > 0);
}

export function optionTable(parts: readonly AnyPart[]): OptionTable {
  return Object.assign({}, ...optionSections(parts).map(([, table]) => table));
}
