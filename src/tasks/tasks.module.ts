import { Module } from '@nestjs/common';
import { LifecycleService } from './lifecycle.service.js';
import { SubmissionsService } from './submissions.service.js';
import { TaskStore } from './task.store.js';
import { TaskNews } from './task-news.js';
import { TasksService } from './tasks.service.js';

/** The record of a task: the only writer of its state. */
@Module({
  providers: [TaskStore, TaskNews, SubmissionsService, LifecycleService, TasksService],
  exports: [TaskStore, TaskNews, LifecycleService, TasksService],
})
export class TasksModule {}
