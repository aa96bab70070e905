/**
 * SIGHUP asks a node with a log file to open that anew, and ends every other process. Which of both is known once the
 * options are read: one that comes before must not end a node whose log is being rotated, since whoever watches over it
 * takes that for an end that somebody wanted.
 */
let hasCome = false;
const remember = (): void => {
  hasCome = true;
};

/** From the first instant of a start. */
export function holdHangUps(): void {
  process.on('SIGHUP', remember);
}

/** `reopen` opens the log anew, which was just opened for the first time; undefined where there is no log file. */
export function heedHangUps(reopen: (() => void) | undefined): void {
  if (reopen !== undefined) process.on('SIGHUP', reopen);
  // One that has come is told of when the system is next asked what there is, which is between these two.
  setImmediate(() =>
    setImmediate(() => {
      process.off('SIGHUP', remember);
      if (hasCome && reopen === undefined) process.kill(process.pid, 'SIGHUP');
    }),
  );
}
