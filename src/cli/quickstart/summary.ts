import { columns } from '../output.js';
import type { QuickstartFile } from './quickstart-file.js';

const DEFAULT_DATA_DIR = './data';

/** What to tell at the end of the start; every command works as it stands in another shell in the same folder. */
export function summary(file: QuickstartFile, dataDir: string, hasApiPage: boolean): string[] {
  const { url, admin, app } = file;
  const facts = [
    ['Console', `${url}/`],
    ...(hasApiPage ? [['API page', `${url}/openapi/docs`]] : []),
    ['Admin', `${admin.username} / ${admin.password ?? '(the password you set)'}`],
    ['Access key', app.accessKey],
    ['Secret key', app.secretKey],
  ];
  const where = dataDir === DEFAULT_DATA_DIR ? '' : `DATA_DIR=${quoted(dataDir)} `;
  return [
    '',
    'Evenkeel is running: the centre and one worker.',
    '',
    ...columns(facts).map((line) => `  ${line}`),
    '',
    'Submit a task from another shell in this folder (the keys are read from its data folder):',
    '',
    `  ${where}npx evenkeel submit echo --params '{"hello":"world"}' --wait`,
    '',
    `The same with nothing but curl and openssl:  ${where}sh examples/submit.sh`,
    `A thousand real HTTP calls, each counted:    ${where}npm run demo:load`,
    `See callbacks arrive, from this machine only:  ${where}node examples/webhook-receiver.mjs`,
    '',
    'Ctrl-C stops both; tasks and keys stay.',
    '',
  ];
}

function quoted(text: string): string {
  return /^[A-Za-z0-9_./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
