import { readdirSync } from 'node:fs';

/** What a service tries its disk with after something has failed is there for a moment. */
const PROBE = /(?:^|\/)room\.new$/;

/** All that is kept in a folder of a running service. */
export const keptIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => !PROBE.test(name));
