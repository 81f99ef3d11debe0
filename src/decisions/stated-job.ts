import type { JobDefinitionInput, JobSchedule } from '@evenkeel/sdk/contract';
import type { JobDefinition } from './job-definition.js';

/** A definition as a person states it; `paramsText` is the JSON of the params, digit for digit. */
export interface JobDefinitionView extends Omit<JobDefinitionInput, 'params'> {
  paramsText: string;
}

/** A definition as it would be stated again: what is not stated is absent. */
export function definitionView(definition: JobDefinition): JobDefinitionView {
  const { policies } = definition;
  return {
    handler: definition.handler,
    paramsText: definition.params,
    schedule: definition.schedule as JobSchedule,
    timeZone: definition.timeZone,
    overlap: definition.overlap,
    maxParallel: definition.maxParallel,
    misfire: definition.misfire,
    misfireWindowMs: definition.misfireWindowMs,
    ...(definition.upstreams?.length ? { upstreams: [...definition.upstreams] } : {}),
    ...(policies.priority === undefined ? {} : { priority: policies.priority }),
    ...(policies.timeoutMs === undefined ? {} : { timeoutMs: policies.timeoutMs }),
    ...(policies.retry ? { retry: policies.retry } : {}),
    ...(policies.repeatable === undefined ? {} : { repeatable: policies.repeatable }),
    ...(policies.routing ? { routing: policies.routing } : {}),
    ...(policies.routingKey === undefined ? {} : { routingKey: policies.routingKey }),
    ...(policies.preferZone === undefined ? {} : { preferZone: policies.preferZone }),
    ...(policies.workerTags === undefined ? {} : { workerTags: policies.workerTags }),
    ...(policies.workerZone === undefined ? {} : { workerZone: policies.workerZone }),
    ...(policies.shards === undefined ? {} : { shards: policies.shards }),
    ...(policies.onShardFailure ? { onShardFailure: policies.onShardFailure } : {}),
    ...(definition.callbackUrl === null ? {} : { callbackUrl: definition.callbackUrl }),
    ...(definition.metadata ? { metadata: definition.metadata } : {}),
    ...(definition.owner === null ? {} : { owner: definition.owner }),
    tags: definition.tags,
    ...(definition.description === null ? {} : { description: definition.description }),
  };
}
