/** In a browser, for `ws`: the page calls over HTTP alone. */
export const WebSocket = undefined;
