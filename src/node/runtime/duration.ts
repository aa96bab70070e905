/** `3h 20m`, `4m 5s`, `12s`. */
export function durationText(seconds: number): string {
  const whole = Math.round(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  if (hours > 0) return `${hours}h ${minutes}m`;
  return minutes > 0 ? `${minutes}m ${whole % 60}s` : `${whole}s`;
}
