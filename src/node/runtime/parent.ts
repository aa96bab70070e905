const WATCH_MS = 250;

/**
 * `npm start` and `npx trustnode` put a shell between npm and the node. Some shells become the node; others stay, and die of a SIGTERM that
 * was meant for it without handing it on. On Windows nothing of this happens.
 */
export function isNpmStart(): boolean {
  const { npm_lifecycle_event: script, npm_package_name: name } = process.env;
  const isStart = script === 'npx' || (script === 'start' && name === 'trustnode');
  return process.platform !== 'win32' && isStart;
}

/** Runs once when the process that started this one has ended. Watching is no reason to stay. */
export function onParentGone(run: () => void): void {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    run();
  }, WATCH_MS);
  timer.unref();
}
