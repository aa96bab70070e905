import { join, resolve } from 'node:path';
import type { Kysely } from 'kysely';
import type { Registry } from 'prom-client';
import type { Clock, Logger, Random } from '../../base/world.js';
import { maybe, type OptionValues, textOption } from '../../config/define.js';
import { urlKind } from '../common/options.js';
import { ContentStore } from './content-store.js';
import { Handing } from './handing.js';
import { kuboNode } from './ipfs-node.js';
import type { ContentTables } from './tables.js';

/** The contents of a service by its options. */

export const CONTENT_OPTIONS = {
  blocks: {
    kind: maybe(textOption),
    initial: undefined,
    help: 'Folder of the blocks of contents; blocks in the data directory without it. Instances share it, or an IPFS node',
  },
  'ipfs-api': {
    kind: maybe(urlKind),
    initial: undefined,
    help: 'URL of the HTTP interface of a Kubo node, such as http://127.0.0.1:5001: what was paid for is pinned there as well',
  },
};

const BLOCKS_FOLDER = 'blocks';

export type BlocksPlace = Pick<OptionValues<typeof CONTENT_OPTIONS>, 'blocks'> & { readonly 'data-dir': string };

export const blocksFolder = (place: BlocksPlace): string =>
  resolve(place.blocks ?? join(place['data-dir'], BLOCKS_FOLDER));

interface ContentsWorld {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

export interface Contents {
  readonly content: ContentStore;
  /** Where instances find what others have stored: they have to have one of these places in common. */
  readonly places: readonly string[];
  /** Where there is an IPFS node. */
  readonly handing: Handing | undefined;
}

export async function openContents(
  options: BlocksPlace & OptionValues<typeof CONTENT_OPTIONS>,
  db: Kysely<ContentTables>,
  registry: Registry,
  { clock, random, log }: ContentsWorld,
): Promise<Contents> {
  const folder = blocksFolder(options);
  const url = options['ipfs-api'];
  if (url === undefined) {
    const content = new ContentStore(folder, db, clock);
    return { content, places: [await content.identity(random)], handing: undefined };
  }
  const node = await kuboNode(url);
  const content = new ContentStore(folder, db, clock, node);
  const places = [await content.identity(random)];
  try {
    places.push(`IPFS node ${await node.identity()}`);
  } catch (error) {
    // It gets later what it misses; only instances that have nothing else in common cannot start now.
    log.warn('the IPFS node does not answer', { url, error });
  }
  return { content, places, handing: new Handing({ db, content, node, registry, clock, log }) };
}
