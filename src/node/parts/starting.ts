import { definePart } from '../../plugin/part.js';
import { serveStarting } from '../../rpc/serving/serve-starting.js';
import { startMetrics } from '../runtime/start-metrics.js';
import { NODE_VIEW, SETTINGS } from './given.js';

/** Answers in place of the RPC until that is open, by the options of the RPC. */
export const startingPart = definePart({
  name: 'answers while starting',
  needs: { settings: SETTINGS, view: NODE_VIEW },
  logModule: 'rpc',
  async open({ needs: { settings, view }, clock, log }) {
    const value = await serveStarting(settings.options, {
      clock,
      log,
      stage: () => view.stage.text,
      metrics: startMetrics(view.stage),
    });
    return { value, close: () => value.close() };
  },
});
