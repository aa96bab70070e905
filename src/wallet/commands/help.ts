import { fail } from '../../base/errors.js';
import { text } from '../../codec/scalars.js';
import type { Fields } from '../../codec/struct.js';
import { COMMAND_ERRORS } from '../errors.js';
import { type AnyCommand, type CommandTable, command } from './define.js';
import { openRpc } from './open-rpc.js';

const RESULT_WIDTH = 40;

/** `signed_transaction    transfer(string from, …)`, in the order of names. */
export function listOf(table: CommandTable): string {
  return Object.keys(table)
    .sort()
    .map((name) => {
      const { result, params } = table[name] as AnyCommand;
      const given = Object.entries(params as Fields).map(([param, type]) => `${type.name} ${param}`);
      return `${result.padEnd(RESULT_WIDTH)} ${name}(${given.join(', ')})\n`;
    })
    .join('');
}

export function helpOf(name: string, { help, params, result, examples = [] }: AnyCommand): string {
  const given = Object.entries(params as Fields);
  const lines = ['', help, ''];
  const usage = given.map(([param]) => `<${param}>`).join(' ');
  lines.push(`usage: ${name}${usage === '' ? '' : ` ${usage}`}`);
  if (given.length > 0) lines.push('', 'Parameters:');
  for (const [param, type] of given) lines.push(`    ${param} (type: ${type.name})`);
  lines.push('', `Returns: ${result}`);
  for (const example of examples) lines.push('', 'example:', `    ${example}`);
  return `${lines.join('\n')}\n`;
}

export function helpCommands(table: () => CommandTable): CommandTable {
  return {
    help: command({
      params: {},
      result: 'string',
      help: 'Lists all commands with their parameters.',
      run: () => listOf(table()),
      show: (_, result) => String(result),
    }),
    gethelp: command({
      params: { method: text },
      result: 'string',
      help: 'Tells what a command is for and what it takes.',
      examples: ['gethelp transfer'],
      run: (_, { method }) => {
        const all = table();
        const found = Object.hasOwn(all, method) ? all[method] : undefined;
        return found === undefined
          ? fail(COMMAND_ERRORS.command_help_unknown, { name: method })
          : helpOf(method, found);
      },
      show: (_, result) => String(result),
    }),
    'rpc.discover': command({
      params: {},
      result: 'variant',
      help: 'Describes all commands for machines, as an OpenRPC document.',
      run: (wallet) => openRpc(table(), wallet.world.program),
    }),
    about: command({
      params: {},
      result: 'variant',
      help: 'Tells which program this is.',
      run: (wallet) => ({
        client_version: wallet.world.program,
        build: `${process.platform} ${process.arch}`,
        runtime: `Node ${process.version}`,
      }),
    }),
  };
}
