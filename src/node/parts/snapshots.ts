import { definePart } from '../../plugin/part.js';
import { snapshotPort } from '../ports/snapshot-port.js';
import { snapshotOptions } from '../settings/options.js';
import { storagePart } from './storage.js';

export const snapshotsPart = definePart({
  name: 'snapshots',
  needs: { stored: storagePart },
  options: { title: 'Chain', table: snapshotOptions },
  logModule: 'storage',
  open({ needs: { stored }, options, log }) {
    const { chain, storage } = stored;
    const where = { folder: options['state-snapshots-dir'], keep: options['state-snapshot-keep'] };
    return { value: snapshotPort({ chain, history: () => storage.journal.head }, where, log) };
  },
});
