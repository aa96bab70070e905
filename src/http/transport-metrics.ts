/** What a server tells of its traffic. */
export interface TransportMetrics {
  connections(count: number): void;
  /** A connection or request that was turned away. */
  refused(reason: 'connections' | 'rate' | 'size' | 'memory' | 'backlog' | 'host'): void;
}
