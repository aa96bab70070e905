import { resolve } from 'node:path';
import { check, defineErrors, FAMILY } from '../../base/errors.js';
import { givenOptions } from '../../config/command-line.js';
import type { OptionTable, OptionValues } from '../../config/define.js';
import { OPTION_ERRORS } from '../../config/define.js';
import { type GivenOptions, parseIni, resolveOptions, unknownOptions } from '../../config/load.js';
import { nodeFiles } from '../../storage/files.js';

export const SERVICE_COMMAND_ERRORS = defineErrors({
  service_config: { kind: 'environment', ...FAMILY.invalidArgument, text: 'cannot read the file ${file}' },
});

function fileOptions(path: string | undefined, table: OptionTable): GivenOptions {
  if (path === undefined) return new Map();
  const file = resolve(path);
  const text = nodeFiles.readText(file);
  check(text !== undefined, SERVICE_COMMAND_ERRORS.service_config, { file });
  const { given } = parseIni(text, file);
  // Nobody brings such a file along from another program: what is unknown in it is a mistake.
  const [unknown] = unknownOptions(table, given);
  check(unknown === undefined, OPTION_ERRORS.option_unknown, { where: file, option: unknown?.name });
  return given;
}

/** Command line over the file that it names. */
export function readServiceOptions<T extends OptionTable>(
  args: Readonly<Record<string, unknown>>,
  table: T,
): OptionValues<T> {
  const given = givenOptions(args, table);
  return resolveOptions(table, given, fileOptions(given.get('config')?.at(-1), table));
}
