/** What Node ends a module with whose own promise nobody keeps any more. It says nothing about it. */
const UNSETTLED = 13;

/** A run that waits for what cannot come any more is no run that has ended well, and whoever sees its end should know. */
export function tellLostWork(): void {
  process.once('exit', () => {
    if (process.exitCode !== UNSETTLED) return;
    process.stderr.write('this run has met a bug of its own: it waits for something that nobody is left to bring\n');
  });
}
