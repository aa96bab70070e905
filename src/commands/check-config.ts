import { fill } from '../base/errors.js';
import { addOptions, givenOptions } from '../config/command-line.js';
import { checkSettings, type Mistake } from '../node/check-settings.js';
import { optionSections, optionTable } from '../node/settings/sections.js';
import type { Command } from './command.js';
import { partsNamedIn } from './start-options.js';
import { EXIT } from './terminal.js';

const lineOf = ({ where, error }: Mistake): string => {
  const during = error.context.map(({ text, data }) => fill(text, data ?? {})).filter((text) => text !== '');
  const beside = [...during, ...(error.hint === undefined ? [] : [error.hint])].join('; ');
  return `${where === undefined ? '' : `${where}: `}${error.message}${beside === '' ? '' : ` (${beside})`}`;
};

const counted = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

/** Takes what `start` takes. */
export async function loadCheckConfigCommand(): Promise<Command> {
  const parts = await partsNamedIn(process.argv.slice(2));
  return {
    builder: (yargs) =>
      addOptions(
        yargs.option('json', { type: 'boolean', default: false, describe: 'Print JSON for scripts' }),
        optionSections(parts),
      ),
    handler: (args, terminal) => {
      const given = givenOptions(args, optionTable(parts));
      const { configPath, hasConfig, mistakes, warnings, settings } = checkSettings(given, parts, Date.now());
      if (mistakes.length > 0) terminal.exitCode = EXIT.refused;
      if (args.json === true) {
        const shown = mistakes.map((one) => ({
          key: one.error.key,
          where: one.where ?? null,
          text: one.error.message,
        }));
        const options = [...settings.givenOptions].sort();
        terminal.out(
          `${JSON.stringify({ config: hasConfig ? configPath : null, mistakes: shown, warnings, options })}\n`,
        );
        return;
      }
      terminal.out(hasConfig ? `${configPath}\n` : `${configPath} is not there: the command line and defaults alone\n`);
      for (const mistake of mistakes) terminal.out(`mistake: ${lineOf(mistake)}\n`);
      for (const warning of warnings) terminal.out(`warning: ${warning}\n`);
      const set = `${counted(settings.givenOptions.size, 'option')} set`;
      const found = `${counted(mistakes.length, 'mistake')}, ${counted(warnings.length, 'warning')}`;
      terminal.out(`${set}, ${found}: a start would ${mistakes.length > 0 ? 'be refused' : 'go by this'}\n`);
    },
  };
}
