import { check } from '../../base/errors.js';
import { chainOptions } from '../chain/open.js';
import { withState } from '../chain/with-state.js';
import type { Command } from '../command.js';
import { readBytes, textOf } from '../keys/input.js';
import { EXIT } from '../terminal.js';
import { readAbi } from './abi.js';
import { readArguments } from './arguments.js';
import { PROFILE_ERRORS, type ProfileReport, profileCall } from './run-profile.js';

const HOST_CALL_NOTE = 'of host functions: beside the flat price of a call, which its caller has';

function toText(report: ProfileReport, top: number): string {
  const lines: string[] = [];
  for (const { contract, method, instructions, start, functions, host, memory } of report.actions) {
    lines.push(`${contract}.${method}: ${instructions} instructions`);
    const row = (count: number, calls: string, name: string): void => {
      const share = ((100 * count) / Math.max(1, instructions)).toFixed(1);
      lines.push(`  ${String(count).padStart(10)} ${share.padStart(5)} % ${calls.padStart(8)}  ${name}`);
    };
    lines.push(`  ${'by itself'.padStart(10)}         ${'calls'.padStart(8)}`);
    for (const one of functions.slice(0, top)) row(one.instructions, `${one.calls}`, one.name);
    const rest = functions.slice(top);
    if (rest.length > 0) row(sumOf(rest), '', `${rest.length} more functions`);
    row(start, '', 'start: memory and data of the contract');
    if (memory !== 0) row(memory, '', 'memory that it took later');
    if (host.length > 0) lines.push(`  ${HOST_CALL_NOTE}`);
    for (const one of host) row(one.instructions, `${one.calls}`, one.name);
  }
  lines.push(`total: ${report.instructions} instructions, billed as ${report.billed_us} us`);
  for (const { account, bytes } of report.ram) lines.push(`RAM: ${bytes} bytes for ${account}`);
  if (report.receipt !== null) lines.push(`receipt: ${JSON.stringify(report.receipt)}`);
  if (report.console !== '')
    lines.push(
      'console:',
      ...report.console
        .replace(/\n$/, '')
        .split('\n')
        .map((l) => `  ${l}`),
    );
  if (report.error !== null) lines.push(`the call fails: (${report.error.code}) ${report.error.message}`);
  return lines.join('\n');
}

const sumOf = (lines: readonly { readonly instructions: number }[]): number =>
  lines.reduce((sum, { instructions }) => sum + instructions, 0);

function amountOf(amount: string): bigint {
  check(/^\d{1,18}$/.test(amount), PROFILE_ERRORS.profile_amount, { amount });
  return BigInt(amount);
}

export const profileCommand: Command = {
  builder: (yargs) =>
    chainOptions(yargs)
      .positional('contract', { type: 'string', demandOption: true, describe: 'Name or id' })
      .positional('method', { type: 'string', demandOption: true })
      .positional('args', { type: 'string', describe: 'JSON, or a file; - reads the standard input' })
      .option('account', { type: 'string', demandOption: true, describe: 'Who calls: name or id' })
      .option('amount', { type: 'string', default: '0', describe: 'Money that goes along, in the smallest unit' })
      .option('asset', { type: 'string', describe: 'Its symbol or id; by default the core asset' })
      .option('code', { type: 'string', describe: 'Run this .wasm file instead of what is deployed' })
      .option('abi', { type: 'string', describe: 'Take this ABI instead of the deployed one' })
      .option('top', { type: 'number', default: 20, describe: 'Functions to show' })
      .epilogue(
        'Build with --names to see the names of functions. Beside a node that runs, on a copy that it makes of its state.',
      ),
  handler: async (args, terminal) => {
    const [code, abi] = [textOf(args, 'code'), textOf(args, 'abi')];
    const call = {
      contract: textOf(args, 'contract'),
      method: textOf(args, 'method'),
      args: readArguments(terminal, args.args),
      caller: textOf(args, 'account'),
      amount: amountOf(textOf(args, 'amount')),
      asset: args.asset === undefined ? undefined : textOf(args, 'asset'),
      code: code === '' ? undefined : readBytes(terminal, code),
      abi: abi === '' ? undefined : readAbi(terminal, abi),
    };
    await withState(terminal, args, ({ state, blockIdOf }) => {
      const report = profileCall(state, call, blockIdOf);
      if (report.error !== null) terminal.exitCode = EXIT.refused;
      terminal.out(`${args.json === true ? JSON.stringify(report) : toText(report, Number(args.top))}\n`);
    });
  },
};
