// A data source that sells facts about chemical elements:
//   trustnode datasource --account my-source --key-file source.key --product 1 --module elements.mjs
const ELEMENTS = {
  H: ['Hydrogen', 1, 1.008],
  He: ['Helium', 2, 4.0026],
  Li: ['Lithium', 3, 6.94],
  C: ['Carbon', 6, 12.011],
  N: ['Nitrogen', 7, 14.007],
  O: ['Oxygen', 8, 15.999],
  Na: ['Sodium', 11, 22.99],
  Al: ['Aluminium', 13, 26.982],
  Si: ['Silicon', 14, 28.085],
  Fe: ['Iron', 26, 55.845],
  Cu: ['Copper', 29, 63.546],
  Ag: ['Silver', 47, 107.87],
  Au: ['Gold', 79, 196.97],
  Pb: ['Lead', 82, 207.2],
};

/** Called once for each question; nothing is charged for `undefined`. */
export default async function answer({ params }) {
  const found = Object.hasOwn(ELEMENTS, params.symbol) ? ELEMENTS[params.symbol] : undefined;
  if (found === undefined) return undefined;
  const [name, number, mass] = found;
  return { name, number, mass };
}
