const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program has it',
  EACCES: 'the system does not allow it to this user',
  EADDRNOTAVAIL: 'this machine has no such address',
};

/** Why the system lets nobody listen there, in words. */
export function listenReason({
  code,
  message,
}: {
  readonly code?: string | undefined;
  readonly message: string;
}): string {
  return REASONS[code ?? ''] ?? message;
}
