/** In a browser, for `node:module`: nothing is installed beside the page, which the curve's loader knows what to do with. */
export const createRequire = () => (name: string) => {
  throw new Error(`there is no ${name} in a browser`);
};
