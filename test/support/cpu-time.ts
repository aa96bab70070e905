/**
 * Milliseconds that this process has computed so far, for tests of what a piece of work may cost. A clock would also
 * measure what else the machine is doing.
 */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
