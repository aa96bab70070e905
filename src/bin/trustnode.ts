#!/usr/bin/env -S node --stack-size=6500 --max-semi-space-size=32
import './arm-crash-point.js';
import { processTerminal } from '../commands/terminal.js';
import { VERSION } from '../node/runtime/project.js';
import { holdYoungSpace, releaseYoungSpace } from '../node/runtime/young-space.js';
import { hasStackFlag, leaveWithParent, runWithLargerStack } from './larger-stack.js';

leaveWithParent();
const words = process.argv.slice(2);
// In the process that is to be the node; one that only starts it hands on what comes.
if (words[0] === 'start' && hasStackFlag()) (await import('../node/runtime/hang-up.js')).holdHangUps();
if (words.length === 1 && (words[0] === '--version' || words[0] === '-v')) {
  // Scripts ask it often: no parser is loaded for it.
  processTerminal.out(`${VERSION}\n`);
} else {
  holdYoungSpace();
  const { orSayLost } = await import('../commands/lost-work.js');
  const { report, runCommandLine } = await import('../commands/run.js');
  const run = (): Promise<void> =>
    runCommandLine(words, processTerminal, {
      version: VERSION,
      loaded: releaseYoungSpace,
      prepareStack: async () => {
        if (!hasStackFlag()) process.exit(await runWithLargerStack());
        (await import('../vm/native-stack.js')).checkNativeStack();
      },
    });
  // What follows the first word may be secret.
  await orSayLost(`trustnode ${words[0] ?? ''}`.trim(), run, (error) => report(error, processTerminal));
}
