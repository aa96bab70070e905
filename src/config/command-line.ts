import type { Argv } from 'yargs';
import { check } from '../base/errors.js';
import { OPTION_ERRORS, type Option, type OptionTable } from './define.js';
import type { GivenOptions } from './load.js';

export type OptionSections = readonly (readonly [title: string, table: OptionTable])[];

function describe(option: Option<unknown>): string {
  const { kind, initial } = option;
  const standard = kind.format(initial).replaceAll('\n', ', ');
  const notes = [`Value: ${kind.wanted}`];
  if (kind.isList === true) notes.push('may be repeated');
  if (kind.bare !== undefined && kind.bare !== 'true' && kind.bare !== '') notes.push(`without a value ${kind.bare}`);
  if (standard !== '' && standard !== 'false') notes.push(`default ${standard}`);
  return `${option.help} [${notes.join('; ')}]`;
}

function aliasOf({ short, alias }: Option<unknown>): { readonly alias?: readonly string[] } {
  const names = [short, alias].filter((name) => name !== undefined);
  return names.length === 0 ? {} : { alias: names };
}

/** Every option as text: what it means is the table's business, not that of the parser. */
export function addOptions(yargs: Argv, sections: OptionSections): Argv {
  let out = yargs;
  for (const [title, table] of sections) {
    for (const [name, option] of Object.entries(table)) {
      const isList = option.kind.isList === true;
      out = out.option(name, {
        type: 'string',
        group: `${title}:`,
        describe: describe(option),
        ...aliasOf(option),
        ...(isList ? { array: true, nargs: 1 } : {}),
        ...(option.kind.bare === undefined && !isList ? { requiresArg: true } : {}),
      });
    }
  }
  return out;
}

/** What yargs has found, as the texts that `resolveOptions` takes. */
export function givenOptions(args: Readonly<Record<string, unknown>>, table: OptionTable): GivenOptions {
  const given = new Map<string, readonly string[]>();
  for (const [name, option] of Object.entries(table)) {
    const found = args[name];
    if (found === undefined) continue;
    const texts = (Array.isArray(found) ? found : [found]).map(String);
    given.set(
      name,
      texts.map((text) => {
        if (text !== '') return text;
        const { bare, wanted } = option.kind;
        check(bare !== undefined, OPTION_ERRORS.option_value, { option: name, value: '(nothing)', wanted });
        return bare;
      }),
    );
  }
  return given;
}
