import {
  type DynamicModule,
  type InjectionToken,
  Module,
  type ModuleMetadata,
  type OptionalFactoryDependency,
} from '@nestjs/common';
import { DiscoveryModule, DiscoveryService, MetadataScanner } from '@nestjs/core';
import { EvenkeelWorkerHost, type EvenkeelWorkerModuleOptions } from './worker-host.js';

const OPTIONS = Symbol('EvenkeelWorkerModuleOptions');

export interface EvenkeelWorkerModuleAsyncOptions extends Pick<ModuleMetadata, 'imports'> {
  inject?: (InjectionToken | OptionalFactoryDependency)[];
  // biome-ignore lint/suspicious/noExplicitAny: whatever `inject` names
  useFactory: (...injected: any[]) => EvenkeelWorkerModuleOptions | Promise<EvenkeelWorkerModuleOptions>;
}

/** Import once: every `@OnTask()` method of the application becomes a handler of one worker. */
export class EvenkeelWorkerModule {
  static forRoot(options: EvenkeelWorkerModuleOptions): DynamicModule {
    return EvenkeelWorkerModule.forRootAsync({ useFactory: () => options });
  }

  static forRootAsync({ imports = [], inject = [], useFactory }: EvenkeelWorkerModuleAsyncOptions): DynamicModule {
    const host = {
      provide: EvenkeelWorkerHost,
      useFactory: (options: EvenkeelWorkerModuleOptions, discovery: DiscoveryService, scanner: MetadataScanner) =>
        new EvenkeelWorkerHost(options, discovery, scanner),
      inject: [OPTIONS, DiscoveryService, MetadataScanner],
    };
    return {
      module: EvenkeelWorkerModule,
      imports: [DiscoveryModule, ...imports],
      providers: [{ provide: OPTIONS, inject, useFactory }, host],
      exports: [EvenkeelWorkerHost],
    };
  }
}
Module({})(EvenkeelWorkerModule);
