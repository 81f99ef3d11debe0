import { VARIABLES } from './config-variables.js';

/** The text of `.env.example`. Every line is commented out: the defaults need no file. */
export function envExample(): string {
  const entries = Object.entries(
    VARIABLES as Record<string, { description: string; fallback?: string; example?: string; testOnly?: true }>,
  )
    .filter(([, variable]) => !variable.testOnly)
    .map(([name, variable]) => `# ${variable.description}\n#${name}=${variable.fallback ?? variable.example ?? ''}\n`);
  return `# Settings of Evenkeel. None is needed to try it: without DATABASE_URL it runs embedded, on one machine.\n\n${entries.join('\n')}`;
}
