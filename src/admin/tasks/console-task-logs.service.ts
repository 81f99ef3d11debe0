import { Readable } from 'node:stream';
import { LOG_LEVELS, type LogLevel } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { ConsoleRequest } from '../../auth/console-caller.js';
import { said } from '../../decisions/field-sentences.js';
import { type LinearPattern, linearPattern } from '../../decisions/linear-pattern.js';
import { withoutColours } from '../../decisions/log-lines.js';
import { type Parameter, wholeNumber } from '../../decisions/query-parameters.js';
import { AppError } from '../../platform/errors.js';
import { LOG_BEGIN, type LogPage, type LogPlace, TaskLogs } from '../../tasks/task-logs.js';
import type { TaskLogs as TaskLogsView } from '../contract/tasks.js';
import { iso, queryOf, shortText, words } from '../request-parts.js';
import { ConsoleTasksService } from './console-tasks.service.js';

const LINES = 200;
const MOST_LINES = 1_000;
/** Pages looked through for one answer when a filter finds little. */
const PAGES = 10;
const place: Parameter<LogPlace> = {
  parse: (value) => {
    const match = /^(\d{1,5})\.(\d{1,10})$/.exec(value);
    return match ? { attempt: Number(match[1]), seq: Number(match[2]) } : undefined;
  },
  rule: said('log_cursor'),
};
const pattern: Parameter<LinearPattern> = {
  parse: (value) => (value.length > 0 && value.length <= 256 && linearPattern(value)) || undefined,
  rule: said('log_pattern', { max: 256 }),
};
const FILTER = {
  attempt: wholeNumber(1, 99_999),
  level: words(LOG_LEVELS),
  q: shortText(256),
  pattern,
};
const QUERY = { ...FILTER, cursor: place, before: place, tail: words(['true']), limit: wholeNumber(1, MOST_LINES) };

type Line = LogPage['lines'][number];
const textOf = ({ attempt, seq }: LogPlace): string => `${attempt}.${seq}`;

/** The logs of a task's attempts, forwards from a place or backwards from the end. */
@Injectable()
export class ConsoleTaskLogsService {
  constructor(
    private readonly logs: TaskLogs,
    private readonly tasks: ConsoleTasksService,
  ) {}

  async page(request: ConsoleRequest, id: string): Promise<TaskLogsView> {
    const { cursor, before, tail, limit = LINES, ...filter } = queryOf(request, QUERY);
    if ([cursor, before, tail].filter((stated) => stated !== undefined).length > 1)
      throw AppError.fields([{ pointer: '/query/cursor', code: 'excluded', ...said('not_with_cursor') }]);
    await this.tasks.found(request.caller, id);
    return tail || before ? this.backwards(id, before, limit, filter) : this.forwards(id, cursor, limit, filter);
  }

  /** The lines there are now that the filter lets through, as text, read step by step while the client reads. */
  async file(request: ConsoleRequest, reply: FastifyReply, id: string): Promise<void> {
    const filter = queryOf(request, FILTER);
    await this.tasks.found(request.caller, id);
    reply.header('content-type', 'text/plain; charset=utf-8');
    reply.header('content-disposition', `attachment; filename="${id}.log"`);
    await reply.send(Readable.from(this.texts(id, filter)));
  }

  private async *texts(id: string, filter: Filter): AsyncGenerator<string> {
    for (let at = beginOf(filter); ; ) {
      const page = await this.logs.page(id, at, MOST_LINES);
      const lines = page.lines.filter((line) => fits(line, filter));
      if (lines.length > 0) yield lines.map(lineText).join('');
      if (page.done || page.lines.length === 0) return;
      at = page.after;
      if (filter.attempt !== undefined && at.attempt > filter.attempt) return;
    }
  }

  private async forwards(id: string, cursor: LogPlace | undefined, limit: number, filter: Filter): Promise<TaskLogsView> {
    const begin = beginOf(filter);
    let at = cursor && isAfter(cursor, begin) ? cursor : begin;
    const lines: Line[] = [];
    let done = false;
    for (let read = 0; read < PAGES && lines.length < limit && !done; read++) {
      const page = await this.logs.page(id, at, limit - lines.length);
      lines.push(...page.lines.filter((line) => fits(line, filter)));
      at = page.after;
      done = page.done;
      if (page.lines.length === 0) break;
      if (filter.attempt !== undefined && at.attempt > filter.attempt) done = true;
    }
    return { lines: lines.map(view), nextCursor: done ? null : textOf(at), before: null };
  }

  private async backwards(id: string, before: LogPlace | undefined, limit: number, filter: Filter): Promise<TaskLogsView> {
    const end = await this.logs.pageBefore(id, before ?? null, limit, filter.attempt);
    let { from } = end;
    let found = end.lines.filter((line) => fits(line, filter));
    for (let read = 1; read < PAGES && found.length < limit && from !== null; read++) {
      const page = await this.logs.pageBefore(id, from, limit, filter.attempt);
      found = [...page.lines.filter((line) => fits(line, filter)), ...found];
      from = page.from;
    }
    const shown = found.slice(-limit);
    const first = shown[0];
    const earlier = found.length > shown.length ? (first as Line) : from;
    return {
      lines: shown.map(view),
      nextCursor: end.done ? null : textOf(end.lines.at(-1) ?? LOG_BEGIN),
      before: earlier && textOf(earlier),
    };
  }
}

interface Filter {
  attempt?: number;
  level?: LogLevel;
  q?: string;
  pattern?: LinearPattern;
}
const beginOf = ({ attempt }: Filter): LogPlace => (attempt === undefined ? LOG_BEGIN : { attempt, seq: 0 });
const isAfter = (a: LogPlace, b: LogPlace): boolean => a.attempt > b.attempt || (a.attempt === b.attempt && a.seq > b.seq);

function fits({ attempt, level, message }: Line, filter: Filter): boolean {
  if (filter.attempt !== undefined && attempt !== filter.attempt) return false;
  if (filter.level !== undefined && LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(filter.level)) return false;
  if (filter.q === undefined && filter.pattern === undefined) return true;
  const text = withoutColours(message);
  if (filter.q !== undefined && !text.toLowerCase().includes(filter.q.toLowerCase())) return false;
  return filter.pattern?.(text) ?? true;
}

const view = ({ attempt, seq, at, level, message, fields }: Line): TaskLogsView['lines'][number] => ({
  attempt,
  seq,
  at: iso(at),
  level,
  message,
  fields: fields ?? null,
});

/** As people read it: the place a link to the line names, when, how loud, and what was said. */
const lineText = ({ attempt, seq, at, level, message, fields }: Line): string =>
  `${attempt}.${seq} ${iso(at)} ${level.toUpperCase()} ${message}${fields ? ` ${JSON.stringify(fields)}` : ''}\n`;
