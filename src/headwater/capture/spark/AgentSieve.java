package headwater;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerEvent;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart;

/**
 * Passes on to the agent what is not part of a micro-batch: streams, and the application itself, are reported by
 * Headwater, and the agent would read the plan of every micro-batch several times for events that nobody sends.
 *
 * Spark calls it from one thread. It is compiled in the driver by the compiler that Spark has with it (Janino), which
 * does not check type parameters.
 */
public class AgentSieve extends SparkListener {
    // What Spark calls everything that happens in a micro-batch.
    private static final Pattern MICRO_BATCH =
        Pattern.compile("\\bid = [0-9a-f-]{36}(\\s|<br/>)+runId = [0-9a-f-]{36}(\\s|<br/>)+batch = ");
    private static final String QUERY = "sql.streaming.queryId";
    private static final String EXECUTION = "spark.sql.execution.id";

    private final SparkListener agent;
    private final Set executions = new HashSet();
    private final Map stagesOfJobs = new HashMap();
    private final Set stages = new HashSet();

    public AgentSieve(SparkListener agent) {
        this.agent = agent;
    }

    public void onOtherEvent(SparkListenerEvent event) {
        if (event instanceof SparkListenerSQLExecutionStart) {
            SparkListenerSQLExecutionStart start = (SparkListenerSQLExecutionStart) event;
            if (start.description() != null && MICRO_BATCH.matcher(start.description()).find()) {
                executions.add(Long.valueOf(start.executionId()));
                return;
            }
        } else if (event instanceof SparkListenerSQLExecutionEnd) {
            SparkListenerSQLExecutionEnd end = (SparkListenerSQLExecutionEnd) event;
            if (executions.remove(Long.valueOf(end.executionId()))) {
                return;
            }
        }
        agent.onOtherEvent(event);
    }

    public void onJobStart(SparkListenerJobStart start) {
        if (!ofMicroBatch(start.properties())) {
            agent.onJobStart(start);
            return;
        }
        Set own = new HashSet();
        scala.collection.Iterator ids = start.stageIds().iterator();
        while (ids.hasNext()) {
            own.add(ids.next());
        }
        stagesOfJobs.put(Integer.valueOf(start.jobId()), own);
        stages.addAll(own);
    }

    private boolean ofMicroBatch(Properties properties) {
        if (properties == null || properties.getProperty(QUERY) == null) {
            return false;
        }
        String execution = properties.getProperty(EXECUTION);
        return execution == null || executions.contains(Long.valueOf(execution));
    }

    public void onJobEnd(SparkListenerJobEnd end) {
        Object own = stagesOfJobs.remove(Integer.valueOf(end.jobId()));
        if (own == null) {
            agent.onJobEnd(end);
        } else {
            stages.removeAll((Set) own);
        }
    }

    public void onTaskEnd(SparkListenerTaskEnd end) {
        if (!stages.contains(Integer.valueOf(end.stageId()))) {
            agent.onTaskEnd(end);
        }
    }
}
