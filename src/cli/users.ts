import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { type Command, Option } from 'commander';
import { passwordDeed, userDeed } from '../auth/user-deed.js';
import type { UserRole, UsersService } from '../auth/users.service.js';
import { AppError } from '../platform/errors.js';
import { withAdmin } from './admin-context.js';
import { commandWitness } from './command-trail.js';
import { CommandError, columns, EXIT, print } from './output.js';

interface PasswordFlags {
  generate?: boolean;
}

/** users list|create|set-password: people of the console, straight in the database. A password never stands on the command line. */
export function addUsersCommand(program: Command): void {
  const users = program.command('users').description('people who may sign in to the console');
  users
    .command('list')
    .description('users and their roles')
    .option('--json', 'print JSON')
    .action((flags: { json?: boolean }) => withAdmin(async (services) => list(services.users, flags.json)));
  users
    .command('create <name>')
    .description('create a user; the password is asked for, or read as one line from standard input')
    .addOption(new Option('--role <role>', 'what they may do').choices(['admin', 'operator', 'viewer']).default('viewer'))
    .option('--generate', 'make a random password and show it this once')
    .action(async (name: string, flags: PasswordFlags & { role: UserRole }) => {
      const password = await passwordFor(name, flags);
      await withAdmin(({ users, audit }) =>
        explained(users.create(name, password, flags.role, {}, commandWitness(audit, userDeed('user.created')))),
      );
      print(false, null, [`created ${flags.role} ${name}`, ...shown(password, flags)]);
    });
  users
    .command('set-password <name>')
    .description('set a new password; it is asked for, or read as one line from standard input')
    .option('--generate', 'make a random password and show it this once')
    .action(async (name: string, flags: PasswordFlags) => {
      const password = await passwordFor(name, flags);
      const found = await withAdmin(async ({ users, sessions, audit }) => {
        const set = await explained(users.setPassword(name, password, { witness: commandWitness(audit, passwordDeed) }));
        if (set) sessions.announceEnds();
        return set;
      });
      if (!found) throw new CommandError(`no user ${name}`, EXIT.failed, '`npx evenkeel users list` shows them');
      print(false, null, [`${name} has a new password`, ...shown(password, flags)]);
    });
}

async function list(users: UsersService, json?: boolean): Promise<void> {
  const all = (await users.list()).map((user) => ({ ...user, createdAt: new Date(user.createdAt).toISOString() }));
  const rows = all.map((user) => [user.username, user.role, user.disabled ? 'disabled' : 'active', user.createdAt]);
  print(json, all, columns([['USER', 'ROLE', 'STATE', 'CREATED'], ...rows]));
}

const shown = (password: string, { generate }: PasswordFlags): string[] =>
  generate ? [`password: ${password}`, 'It is not shown again.'] : [];

/** Says which rule a name or password broke. */
async function explained<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'validation_failed') throw error;
    const rules = (error.extras.errors ?? []).map(({ pointer, message }) => `${pointer.slice(1)} ${message}`);
    throw new CommandError(rules.join('; ') || error.message, EXIT.usage);
  }
}

async function passwordFor(name: string, { generate }: PasswordFlags): Promise<string> {
  if (generate) return randomBytes(15).toString('base64url');
  if (!process.stdin.isTTY) return firstLine();
  const password = await ask(`New password of ${name}: `);
  if (password !== (await ask('Once more: ')))
    throw new CommandError('the two passwords differ; nothing was changed', EXIT.usage);
  return password;
}

async function firstLine(): Promise<string> {
  const lines = createInterface({ input: process.stdin });
  for await (const line of lines) return line;
  throw new CommandError('no password on standard input', EXIT.usage, 'for example with --generate, or run it in a terminal');
}

/** Echoes nothing of what is typed. */
async function ask(question: string): Promise<string> {
  process.stderr.write(question);
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: silent, terminal: true });
  terminal.once('SIGINT', () => process.exit(EXIT.failed));
  try {
    return await terminal.question('');
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}
