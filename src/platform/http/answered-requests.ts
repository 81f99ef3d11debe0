import type { Problem } from '@evenkeel/sdk/contract';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';

export type Refusal = Pick<Problem, 'code' | 'detail'>;
export type AnswerListener = (request: FastifyRequest, status: number, refusal: Refusal | null) => void;

/** Tells of requests when their answer is out, so that whoever counts them keeps nobody waiting. A listener must be quick. */
@Injectable()
export class AnsweredRequests {
  private readonly listeners: AnswerListener[] = [];
  private readonly refusals = new WeakMap<FastifyRequest, Refusal>();

  onAnswer(listener: AnswerListener): void {
    this.listeners.push(listener);
  }

  /** The request is about to be answered with a problem. */
  refused(request: FastifyRequest, { code, detail }: Refusal): void {
    this.refusals.set(request, { code, detail });
  }

  answered(request: FastifyRequest, status: number): void {
    const refusal = this.refusals.get(request) ?? null;
    for (const listener of this.listeners) listener(request, status, refusal);
  }
}
