/** `user:password` of an `Authorization: Basic` header; undefined when there is none or it has another form. */
export function basicText(header: string | undefined): string | undefined {
  const match = /^Basic\s+([A-Za-z0-9+/=]+)\s*$/i.exec(header ?? '');
  return match === null ? undefined : Buffer.from(match[1] as string, 'base64').toString('utf8');
}

/** User and password; undefined where there are not exactly these two parts, as the reference's node reads it. */
export function basicCredentials(header: string | undefined): [user: string, password: string] | undefined {
  const parts = basicText(header)?.split(':') ?? [];
  return parts.length === 2 ? [parts[0] as string, parts[1] as string] : undefined;
}
