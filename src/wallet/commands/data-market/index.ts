import type { CommandTable } from '../define.js';
import { categoryCommands } from './categories.js';
import { leagueCommands } from './leagues.js';
import { productCommands } from './products.js';
import { requestCommands } from './requests.js';
import { statisticsCommands } from './statistics.js';

/** The data market, by what is traded and how. */
export const dataMarketCommands: CommandTable = {
  ...categoryCommands,
  ...productCommands,
  ...leagueCommands,
  ...requestCommands,
  ...statisticsCommands,
};
