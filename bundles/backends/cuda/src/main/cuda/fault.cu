// Around the replay of a graph, whose kernels report to a record of its own. One thread each.

// The graph's kernels do nothing where the queue has failed.
KERNEL fault_enter(Fault* queue, Fault* graph) {
    graph->flag = queue->flag;
}

// A fault of the graph's kernels becomes one of the queue.
KERNEL fault_leave(Fault* queue, Fault* graph) {
    if (graph->flag != 0 && queue->flag == 0) {
        queue->flag = 1;
        for (int i = 1; i < 5; i++) {
            queue->host[i] = graph->host[i];
        }
        __threadfence_system();
        queue->host[0] = graph->host[0];
    }
    graph->flag = 0;
    graph->host[0] = 0;
}
