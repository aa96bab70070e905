import { saveFile } from '../../src/wallet/file/save.js';

/** Saves one file after another until somebody ends it. The text is large enough to be caught half written. */
const [file = ''] = process.argv.slice(2);
process.stdout.write('ready\n');
for (let n = 0; ; n++) saveFile(file, `${`${n} `.repeat(200_000)}end of ${n}`);
