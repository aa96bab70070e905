import { join } from 'node:path';
import { ChainError } from '../../base/errors.js';
import { PLUGIN_STORES, type PluginStores } from '../../plugin/api.js';
import { definePart } from '../../plugin/part.js';
import { STORAGE_ERRORS } from '../../storage/errors.js';
import { nodeFiles } from '../../storage/files.js';
import { LevelKv, PLUGIN_MEMORY } from '../../storage/level-kv.js';
import { absolute, pluginStoreOptions } from '../settings/options.js';
import { SETTINGS } from './given.js';

const ADVICE = 'Start again: it is built anew from the chain then';

/** Stores of plugins. Everything in them comes from the chain, so that nothing is lost where one is built anew. */
export const pluginStoresPart = definePart({
  name: PLUGIN_STORES.name,
  needs: { settings: SETTINGS },
  options: { title: 'Plugins', table: pluginStoreOptions },
  logModule: 'storage',
  open({ needs: { settings }, options, dataDir, log }) {
    const openEmpty = (path: string): Promise<LevelKv> => {
      nodeFiles.remove(path);
      nodeFiles.makeFolder(path);
      return LevelKv.open(path, ADVICE, PLUGIN_MEMORY);
    };
    const value: PluginStores = {
      entriesAtOnce: options['limit-batch'],
      async open(name, given) {
        const path = given === undefined ? join(dataDir, 'plugins', name) : absolute(given);
        if (settings.options['resync-blockchain']) return openEmpty(path);
        nodeFiles.makeFolder(path);
        try {
          return await LevelKv.open(path, ADVICE, PLUGIN_MEMORY);
        } catch (error) {
          if (!(error instanceof ChainError) || error.row !== STORAGE_ERRORS.database_damaged) throw error;
          log.warn('the store of a plugin is damaged and is built anew', { plugin: name, error: error.message });
          return openEmpty(path);
        }
      },
      async renew(store, why) {
        const { path } = store;
        log.warn('the store of a plugin is built anew', { path, why });
        await store.close();
        return openEmpty(path);
      },
    };
    return { value };
  },
});
