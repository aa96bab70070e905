import { join } from 'node:path';
import { ChainError } from '../../base/errors.js';
import { PLUGIN_STORES, type PluginStores } from '../../plugin/api.js';
import { definePart } from '../../plugin/part.js';
import { STORAGE_ERRORS } from '../../storage/errors.js';
import { nodeFiles } from '../../storage/files.js';
import { LevelKv } from '../../storage/level-kv.js';
import { STORAGE_FOLDERS } from '../../storage/storage.js';
import { absolute, pluginStoreOptions } from '../settings/options.js';
import { type StoreTask, StoreThread } from '../threads/store-thread.js';
import { genesisPart } from './genesis.js';
import { SETTINGS } from './given.js';

const ADVICE = 'Start again: it is built anew from the chain then';

/** Stores of plugins. Everything in them comes from the chain, so that nothing is lost where one is built anew. */
export const pluginStoresPart = definePart({
  name: PLUGIN_STORES.name,
  needs: { settings: SETTINGS, genesis: genesisPart },
  options: { title: 'Plugins', table: pluginStoreOptions },
  logModule: 'storage',
  open({ needs: { settings, genesis }, options, dataDir, clock, log }) {
    const openEmpty = (path: string): Promise<LevelKv> => {
      nodeFiles.remove(path);
      nodeFiles.makeFolder(path);
      return LevelKv.openForPlugin(path, ADVICE);
    };
    const threads: StoreThread[] = [];
    const begun = (task: StoreTask): StoreThread => {
      const thread = new StoreThread(task, { clock, log });
      threads.push(thread);
      return thread;
    };
    const value: PluginStores = {
      entriesAtOnce: options['limit-batch'],
      async open(name, given) {
        const path = given === undefined ? join(dataDir, 'plugins', name) : absolute(given);
        if (settings.options['resync-blockchain']) return openEmpty(path);
        nodeFiles.makeFolder(path);
        try {
          return await LevelKv.openForPlugin(path, ADVICE);
        } catch (error) {
          if (!(error instanceof ChainError) || error.row !== STORAGE_ERRORS.database_damaged) throw error;
          log.warn('the store of a plugin is damaged and is built anew', { plugin: name, error: error.message });
          return openEmpty(path);
        }
      },
      writer: ({ path: storePath }, { url, settings }) =>
        begun({
          program: url.href,
          settings,
          storePath,
          blockLogPath: join(dataDir, STORAGE_FOLDERS.blockLog),
          journalPath: join(dataDir, STORAGE_FOLDERS.journal),
          chainId: genesis.source.chainId,
        }),
      async renew(store, why) {
        const { path } = store;
        log.warn('the store of a plugin is built anew', { path, why });
        await store.close();
        return openEmpty(path);
      },
    };
    const warning = (): string | undefined => threads.find(({ trouble }) => trouble !== undefined)?.trouble;
    return { value, warning };
  },
});
