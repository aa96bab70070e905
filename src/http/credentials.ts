/** User and password of an `Authorization: Basic` header; undefined when there is none or it has another form. */
export function basicCredentials(header: string | undefined): [user: string, password: string] | undefined {
  const match = /^Basic\s+([A-Za-z0-9+/=]+)\s*$/i.exec(header ?? '');
  if (match === null) return undefined;
  const parts = Buffer.from(match[1] as string, 'base64')
    .toString('utf8')
    .split(':');
  return parts.length === 2 ? [parts[0] as string, parts[1] as string] : undefined;
}
