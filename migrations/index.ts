import type { MigrationInterface } from 'typeorm';
import { Foundation1764400000000 } from './1764400000000-foundation.js';
import { Jobs1764500000000 } from './1764500000000-jobs.js';
import { Console1764650000000 } from './1764650000000-console.js';

/** Every migration, oldest first. */
export const MIGRATIONS: (new () => MigrationInterface)[] = [Foundation1764400000000, Jobs1764500000000, Console1764650000000];
