import { join, resolve } from 'node:path';
import { parseIni } from '../config/load.js';
import { nodeParts } from '../node/parts/list.js';
import { isPluginPath, loadPluginFolders, loadPlugins } from '../node/parts/plugins.js';
import { absolute, CONFIG_FILE, DEFAULT_DATA_DIR } from '../node/settings/options.js';
import { optionTable } from '../node/settings/sections.js';
import type { AnyPart } from '../plugin/part.js';
import { nodeFiles } from '../storage/files.js';
import { speller } from './spell-out.js';

/** Everything that has options: the node's own parts, plugins that are installed, and those that these words name. */
export async function partsNamedIn(words: readonly string[]): Promise<readonly AnyPart[]> {
  return nodeParts([...(await loadPlugins()), ...(await loadPluginFolders(pluginPaths(words)))]);
}

/** Words of `start` and `check-config` as the family's node lets people write them. */
export async function spellOutStart(words: readonly string[]): Promise<readonly string[]> {
  if (!words.some((word) => word.startsWith('-') && word !== '--help')) return words;
  return words.map(speller(optionTable(await partsNamedIn(words)), ['json']));
}

/** Folders that the option plugins names: they are loaded before options are read, which they add to. */
function pluginPaths(words: readonly string[]): string[] {
  const dataDir = optionIn(words, '--data-dir') ?? optionIn(words, '-d') ?? joinedTo('-d', words);
  const given = optionIn(words, '--plugins') ?? pluginsOfConfig(dataDir);
  return (given ?? '').split(/[\s,]+/).filter(isPluginPath);
}

function optionIn(words: readonly string[], name: string): string | undefined {
  const at = words.findIndex((word) => word === name || word.startsWith(`${name}=`));
  const word = words[at];
  return word === name ? words[at + 1] : word?.slice(name.length + 1);
}

const joinedTo = (letter: string, words: readonly string[]): string | undefined =>
  words.find((word) => word.startsWith(letter))?.slice(letter.length);

function pluginsOfConfig(dataDir: string = DEFAULT_DATA_DIR): string | undefined {
  const path = join(absolute(dataDir), CONFIG_FILE);
  // What is mistaken in it is said when the options are read.
  return parseIni(nodeFiles.readText(path) ?? '', path, () => undefined)
    .given.get('plugins')
    ?.at(-1)
    ?.split(/[\s,]+/)
    .map((word) => (isPluginPath(word) ? resolve(absolute(dataDir), word) : word))
    .join(' ');
}
