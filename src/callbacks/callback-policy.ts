import { networkInterfaces } from 'node:os';
import { Injectable } from '@nestjs/common';
import { addressClassifier } from '../decisions/address-class.js';
import { checkCallbackUrl, type UrlPolicy, type UrlRefusal } from '../decisions/callback-url.js';
import { Config } from '../platform/config.js';
import { EndpointDirectory } from './endpoint-directory.js';
import type { Targets } from './guarded-connector.js';
import { dnsResolver } from './guarded-resolver.js';

/**
 * What this installation allows: the operator's settings, and the hosts each app may use. The same at registration, at submit and,
 * again, at each delivery. This centre's own domain, and its ports and those of its stores on opened networks, are refused always.
 */
@Injectable()
export class CallbackPolicy {
  private readonly urls: UrlPolicy;
  readonly targets: Targets;

  constructor(
    private readonly directory: EndpointDirectory,
    config: Config,
  ) {
    const { allowNetworks, allowHttp, allowsPort, devTargets } = config.callbacks;
    const classify = addressClassifier(allowNetworks);
    const ownDomain = config.publicUrl?.hostname;
    const ownDomains = ownDomain && !isLoopback(ownDomain) ? [ownDomain] : [];
    this.urls = { allowHttp, allowsPort, ownDomains, classify, opensNetworks: allowNetworks.length > 0, devTargets };
    const stores = [config.databaseUrl, config.redisUrl].map((url) =>
      Number(url?.port || (url?.protocol === 'mysql:' ? 3306 : 6379)),
    );
    const reservedPorts = new Set([config.port, ...stores].filter((port) => port > 0));
    this.targets = { classify, resolve: dnsResolver(), reservedPorts, devTargets };
  }

  /** Null if the app may have its callbacks sent there, as far as that can be told without the network. */
  refusalOf(appId: number, text: unknown): UrlRefusal | null {
    const verdict = checkCallbackUrl(text, this.urls);
    if (!verdict.ok) return verdict.refusal;
    return this.directory.isVerifiedHost(appId, verdict.url.hostname) ? null : 'host_not_verified';
  }
}

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' ||
  Object.values(networkInterfaces())
    .flat()
    .some((each) => each?.internal && each.address === hostname);
