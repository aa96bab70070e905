/** Slots between blocks. */

export interface Mark {
  readonly number: number;
  readonly timeMs: number;
}

export interface Skips {
  readonly intervalMs: number;
  readonly maintenanceMs: number;
  readonly slots: number;
}

/** After a maintenance some slots are left out on purpose. */
export function missedBetween(from: Mark, to: Mark, { intervalMs, maintenanceMs, slots }: Skips): number {
  const passed = Math.round((to.timeMs - from.timeMs) / intervalMs);
  const maintenances = Math.floor(to.timeMs / maintenanceMs) - Math.floor(from.timeMs / maintenanceMs);
  return Math.max(0, passed - (to.number - from.number) - maintenances * slots);
}
