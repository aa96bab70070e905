import type { Option, OptionTable } from './define.js';

const WIDTH = 100;

function wrap(text: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = word;
    } else {
      line = line === '' ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

function entry(name: string, option: Option<unknown>): string {
  const comment = [
    ...wrap(option.help),
    `Value: ${option.kind.wanted}${option.kind.isList === true ? '; may be repeated' : ''}.`,
  ];
  const initial = option.kind.format(option.initial);
  const values = initial === '' ? [''] : initial.split('\n');
  // Defaults are written as comments, so that a later version may change them for everybody who did not choose.
  return [...comment.map((line) => `# ${line}`), ...values.map((value) => `# ${name} = ${value}`.trimEnd())].join('\n');
}

/** The text of config.ini.example, and of the file that a first start writes. */
export function exampleIni(sections: readonly (readonly [title: string, table: OptionTable])[]): string {
  const parts = [
    '# Configuration of a trustnode. Remove the # in front of an option to set it.\n# Relative paths are meant from the data directory, which this file is in; on the command line from the working directory.',
  ];
  for (const [title, table] of sections) {
    parts.push(`# ${'-'.repeat(20)} ${title} ${'-'.repeat(20)}`);
    for (const [name, option] of Object.entries(table)) {
      if (option.commandLineOnly !== true) parts.push(entry(name, option));
    }
  }
  return `${parts.join('\n\n')}\n`;
}
