import { definePart } from '../../plugin/part.js';
import { debugPort } from '../ports/debug-port.js';
import { ObjectStream } from '../ports/object-stream.js';
import { debugOptions } from '../settings/options.js';
import { chainPart } from './chain.js';
import { chainPortPart } from './chain-port.js';
import { importerPart } from './importer.js';

/** Blocks on demand and objects as one likes. The family's nodes have it in a plugin; who may use it is another question. */
export const debugPart = definePart({
  name: 'debug_witness',
  needs: { chain: chainPart, port: chainPortPart, importer: importerPart },
  options: { title: 'Debugging', table: debugOptions },
  plugin: { isDefault: false, isAskedFor: (options) => options['enable-debug-api'] === true },
  logModule: 'rpc',
  open({ needs: { chain, port, importer }, options, dataDir, clock, log }) {
    const stream = new ObjectStream(port, dataDir);
    const value = debugPort({
      chain: chain.chain,
      clock,
      importer,
      dataDir,
      keys: options['debug-private-key'],
      stream,
      log,
    });
    return { value, close: () => stream.close() };
  },
});
