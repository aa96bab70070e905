import { HISTORY_VIEW, type HistoryView } from '../../plugin/api.js';
import { definePart } from '../../plugin/part.js';
import { NODE_VIEW } from './given.js';

/** What plugins show of histories, for plugins that are opened later. */
export const historyViewPart = definePart({
  name: HISTORY_VIEW.name,
  needs: { view: NODE_VIEW },
  open({ needs: { view } }) {
    const value: HistoryView = {
      get current() {
        return view.history;
      },
    };
    return { value };
  },
});
